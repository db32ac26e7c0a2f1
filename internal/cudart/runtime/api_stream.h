// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events of the runtime's interface.
#ifndef IRGL_RUNTIME_API_STREAM_H
#define IRGL_RUNTIME_API_STREAM_H

#include "graphs.h"
#include "places.h"
#include "state.h"

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (stream == nullptr || flags > cudaStreamNonBlocking)
      return cudaErrorInvalidValue;
    const irgl::Calling here("cudaStreamCreate");
    return b.stream_create(device, flags, priority, stream);
  });
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    const cudaError_t e = irgl::refused_in_capture(stream);
    return e != cudaSuccess ? e : b.stream_destroy(device, stream);
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    const cudaError_t e = irgl::refused_in_capture(stream);
    return e != cudaSuccess ? e : b.stream_sync(device, stream);
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    const cudaError_t e = irgl::refused_in_capture(stream);
    return e != cudaSuccess ? e : b.stream_query(device, stream);
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (flags > 1)
      return cudaErrorInvalidValue;
    cudaError_t e = cudaSuccess;
    return irgl::recorded_wait(stream, event, &e) ? e : b.stream_wait(device, stream, event);
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  return irgl::on_current([&](irgl::Backend &b, int) -> cudaError_t {
    int priority = 0;
    return flags == nullptr ? cudaErrorInvalidValue : b.stream_about(stream, flags, &priority);
  });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  return irgl::on_current([&](irgl::Backend &b, int) -> cudaError_t {
    unsigned flags = 0;
    return priority == nullptr ? cudaErrorInvalidValue : b.stream_about(stream, &flags, priority);
  });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *p, size_t, unsigned) {
  return irgl::on_current([&](irgl::Backend &, int) {
    irgl::Block k;
    return irgl::process().memory.find(p, 0, &k) && k.kind == irgl::Block::Managed ? cudaSuccess
                                                                                   : cudaErrorInvalidValue;
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t f, void *data) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (f == nullptr)
      return cudaErrorInvalidValue;
    cudaError_t e = cudaSuccess;
    const auto call = [f, data](irgl::Backend &to, int on, cudaStream_t in) { return to.host_function(on, in, f, data); };
    return irgl::recorded(device, stream, cudaGraphNodeTypeHost, &e, call) ? e : call(b, device, stream);
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t f, void *data, unsigned flags) {
  struct Call {
    cudaStream_t stream;
    cudaStreamCallback_t f;
    void *data;
  };
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (f == nullptr || flags != 0)
      return cudaErrorInvalidValue;
    if (cudaError_t e = irgl::refused_in_capture(stream))
      return e;
    Call *c = new Call{stream, f, data};
    const cudaError_t e = b.host_function(
        device, stream,
        [](void *p) {
          const std::unique_ptr<Call> call(static_cast<Call *>(p));
          call->f(call->stream, cudaSuccess, call->data);
        },
        c);
    if (e != cudaSuccess)
      delete c;
    return e;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (event == nullptr || flags > 7 || ((flags & cudaEventInterprocess) != 0 && (flags & cudaEventDisableTiming) == 0))
      return cudaErrorInvalidValue;
    const irgl::Calling here("cudaEventCreate");
    return b.event_create(device, flags, event);
  });
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    irgl::forget_event(event);
    return b.event_destroy(device, event);
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    cudaError_t e = cudaSuccess;
    return irgl::recorded_event(event, stream, &e) ? e : b.event_record(device, event, stream);
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return flags > 1 ? irgl::record(cudaErrorInvalidValue) : cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    return irgl::captured_event(event) ? cudaErrorCapturedEvent : b.event_sync(device, event);
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return irgl::on_current([&](irgl::Backend &b, int device) {
    return irgl::captured_event(event) ? cudaErrorCapturedEvent : b.event_query(device, event);
  });
}
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
  return irgl::on_current([&](irgl::Backend &b, int device) -> cudaError_t {
    if (irgl::captured_event(start) || irgl::captured_event(end))
      return cudaErrorCapturedEvent;
    return ms == nullptr ? cudaErrorInvalidValue : b.event_elapsed(device, ms, start, end);
  });
}
}

#endif
