package ptx
import ("testing";"os";"path/filepath";"irgl/internal/source")
func TestScratch(t *testing.T){
 fs,_:=filepath.Glob("/tmp/ptxw/s/*.ptx")
 for _,f:=range fs{
  b,_:=os.ReadFile(f)
  m,err:=Parse(source.NewFile(filepath.Base(f),b))
  if err!=nil{t.Error(err);continue}
  s:=Print(m)
  os.WriteFile("/tmp/ptxw/o/"+filepath.Base(f),[]byte(s),0644)
  m2,err:=Parse(source.NewFile("x",[]byte(s)))
  if err!=nil{t.Error(err);continue}
  if Print(m2)!=s{t.Error("not fixed")}
 }
}
