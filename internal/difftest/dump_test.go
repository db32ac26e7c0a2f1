package difftest
import ("testing")
func TestDump(t *testing.T) { if err:=WriteCorpus("/tmp/dtcorpus",40);err!=nil{t.Fatal(err)} }
