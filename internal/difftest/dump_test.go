package difftest
import ("testing";"os";"fmt")
func TestDump(t *testing.T) { var n uint64; fmt.Sscan(os.Getenv("SEED"),&n); fmt.Println(Generate(n).body()) 
out,_:=Run(Generate(n),Variants()[0]); fmt.Printf("%x\n", out[:400]) }
