package graph
import ("testing";"context";"fmt";"time";"os";"syscall";"runtime")
func rss() string { var r syscall.Rusage; syscall.Getrusage(0,&r); return fmt.Sprintf("maxrss %d MB", r.Maxrss/1024) }
func TestZBig(t *testing.T){
 ctx:=context.Background()
 t0:=time.Now()
 g,err:=Generate(ctx,"road:4900:4900:wmax=1000"); if err!=nil{t.Fatal(err)}
 fmt.Println("gen",time.Since(t0),rss())
 t0=time.Now(); s,err:=g.Stats(ctx); fmt.Println("stats",time.Since(t0),s,err,rss())
 for _,f:=range []Format{DIMACS,METIS,EdgeList,Galois1} {
 t0=time.Now()
 if err:=Write(ctx,"/tmp/gg/big",g,f); err!=nil{t.Fatal(err)}
 fmt.Println("write",f,time.Since(t0),rss())
 for _,p:=range []int{2,1} {
 old:=runtime.GOMAXPROCS(p)
 t0=time.Now()
 h,err:=Open(ctx,"/tmp/gg/big"); if err!=nil{t.Fatal(err)}
 d:=time.Since(t0)
 runtime.GOMAXPROCS(old)
 fmt.Println("open",f,h.Info.Format,"procs",p,d,h.Info.Bytes, float64(h.Info.Bytes)/1e6/d.Seconds(),"MB/s",h.NumEdges()==g.NumEdges(),rss())
 h.Close()
 }
 os.Remove("/tmp/gg/big")
 }
}
