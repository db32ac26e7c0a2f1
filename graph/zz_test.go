package graph
import ("testing";"context";"os";"os/exec";"fmt";"time";"slices")
func TestZZ(t *testing.T){
 ctx:=context.Background()
 eq:=func(spec string, ext string, args ...string){
  c:=exec.Command("/tmp/gen",append(args,"-o","/tmp/gg/x")...)
  t0:=time.Now(); out,err:=c.CombinedOutput(); dt:=time.Since(t0)
  if err!=nil {t.Fatal(err,string(out))}
  t1:=time.Now(); g,err:=Generate(ctx,spec); if err!=nil{t.Error(spec,err);return}
  d2:=time.Since(t1)
  h,err:=Open(ctx,"/tmp/gg/x"+ext); if err!=nil{t.Fatal(err)}
  ok:=slices.Equal(g.RowStart,h.RowStart)&&slices.Equal(g.Dst,h.Dst)&&slices.Equal(g.Weight,h.Weight)
  fmt.Println(spec,g.NumNodes(),g.NumEdges(),ok,"gen.c",dt,"go",d2)
  if !ok {t.Error(spec)}
  h.Close(); os.Remove("/tmp/gg/x.gr"); os.Remove("/tmp/gg/x.sgr")
 }
 for _,e:=range []string{".gr",".sgr"} {
  sy:=""; if e==".sgr"{sy=":sym"}
  for _,k:=range [][]string{{"rmat","10","8"},{"rmat","0","3"},{"rmat","14","16"},{"rand","1000","5"},{"rand","77","40"},{"rand","100000","3"}} {
   b:=k[0]+":"+k[1]+":"+k[2]
   eq(b+sy,e,k...)
   eq(b+":seed=7:wmax=1000"+sy,e,append(slices.Clone(k),"-seed","7","-wmax","1000")...)
   eq(b+":perm"+sy,e,append(slices.Clone(k),"-perm")...)
   if e==".gr" {eq(b+":raw",e,append(slices.Clone(k),"-raw")...); eq(b+":raw:perm:seed=3",e,append(slices.Clone(k),"-raw","-perm","-seed","3")...)}
   if k[0]=="rmat" {eq(b+":a=.57:b=.19:c=.19"+sy,e,k...)}
  }
  for _,k:=range [][]string{{"grid","10","8"},{"grid","1","1"},{"grid","1","9"},{"grid","9","1"},{"grid","300","200"},{"road","64","64"},{"road","1","20"},{"road","500","300"}} {
   b:=k[0]+":"+k[1]+":"+k[2]
   eq(b,e,k...)
   eq(b+":seed=7:wmax=1000",e,append(slices.Clone(k),"-seed","7","-wmax","1000")...)
   eq(b+":perm",e,append(slices.Clone(k),"-perm")...)
  }
 }
}
func TestZBig(t *testing.T){
 ctx:=context.Background()
 eq:=func(spec string, ext string, args ...string){
  c:=exec.Command("/tmp/gen",append(args,"-o","/tmp/gg/x")...)
  t0:=time.Now(); out,err:=c.CombinedOutput(); dt:=time.Since(t0)
  if err!=nil {t.Fatal(err,string(out))}
  for range 2 {
  t1:=time.Now(); g,err:=Generate(ctx,spec); if err!=nil{t.Error(spec,err);return}
  d2:=time.Since(t1)
  t1=time.Now()
  h,err:=Open(ctx,"/tmp/gg/x"+ext); if err!=nil{t.Fatal(err)}
  d3:=time.Since(t1)
  ok:=slices.Equal(g.RowStart,h.RowStart)&&slices.Equal(g.Dst,h.Dst)&&slices.Equal(g.Weight,h.Weight)
  fmt.Println(spec,g.NumNodes(),g.NumEdges(),ok,"gen.c (with write)",dt,"go",d2,"open",d3, h.Info.Bytes)
  if !ok {t.Error(spec)}
  h.Close()
  }
  os.Remove("/tmp/gg/x.gr"); os.Remove("/tmp/gg/x.sgr")
 }
 eq("rmat:22:8",".gr","rmat","22","8","-nosgr")
 eq("rmat:22:8:sym",".sgr","rmat","22","8","-nogr")
 eq("uniform:8388608:4",".gr","rand","8388608","4","-nosgr")
 eq("grid:1024:1024",".sgr","grid","1024","1024","-nogr")
 eq("road:4900:4900:wmax=1000",".sgr","road","4900","4900","-nogr","-wmax","1000")
 eq("rmat:20:8",".gr","rmat","20","8","-nosgr")
}
