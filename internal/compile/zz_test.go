package compile_test
import ("testing";"os";"fmt";"strings";"strconv";"syscall";"runtime";"runtime/debug";"runtime/pprof";"irgl/internal/compile")
func cpu() float64 { var r syscall.Rusage; syscall.Getrusage(0,&r); return float64(r.Utime.Nano()+r.Stime.Nano()) }
func TestZZ(t *testing.T){
 only:=os.Getenv("SHAPE"); big:=100000; if s:=os.Getenv("BIG");s!=""{big,_=strconv.Atoi(s)}
 reps:=1; if s:=os.Getenv("REPS");s!=""{reps,_=strconv.Atoi(s)}
 if os.Getenv("NOGC")!="" { debug.SetGCPercent(-1); debug.SetMemoryLimit(6<<30) }
 for _,s:=range shapes{ if only!=""&& !strings.Contains(","+only+",",","+s.name+","){continue}
  get:=func(n,k int)float64{ best:=1e30; text:=s.text(n)
   for range reps{ runtime.GC(); c:=cpu(); for range k { if _,err:=compiled("k.cu",text,"",compile.Options{});err!=nil{t.Fatal(err)} }
    best=min(best,(cpu()-c)/float64(n)/float64(k)) }
   return best}
  a0:=get(100,50); a:=get(1000,20); if p:=os.Getenv("PROF");p!=""{f,_:=os.Create(p);pprof.StartCPUProfile(f)}; b:=get(big,1); pprof.StopCPUProfile()
  fmt.Printf("%-12s %.0f %.0f -> %.0f ns/op  (%.2fx)\n",s.name,a0,a,b,b/a)
 }
}
