// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX: marks for profilers of NVIDIA's. No tool reads them here, so that the functions do nothing.
#ifndef IRGL_NVTOOLSEXT_H
#define IRGL_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st *nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
  const char *ascii;
  const wchar_t *unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_v2;
typedef nvtxEventAttributes_v2 nvtxEventAttributes_t;

static inline void nvtxInitialize(const void *__a) { (void)__a; }
static inline void nvtxMarkA(const char *__m) { (void)__m; }
static inline void nvtxMarkW(const wchar_t *__m) { (void)__m; }
static inline void nvtxMarkEx(const nvtxEventAttributes_t *__e) { (void)__e; }
static inline int nvtxRangePushA(const char *__m) { return (void)__m, 0; }
static inline int nvtxRangePushW(const wchar_t *__m) { return (void)__m, 0; }
static inline int nvtxRangePushEx(const nvtxEventAttributes_t *__e) { return (void)__e, 0; }
static inline int nvtxRangePop(void) { return 0; }
static inline nvtxRangeId_t nvtxRangeStartA(const char *__m) { return (void)__m, 0; }
static inline nvtxRangeId_t nvtxRangeStartW(const wchar_t *__m) { return (void)__m, 0; }
static inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *__e) { return (void)__e, 0; }
static inline void nvtxRangeEnd(nvtxRangeId_t __i) { (void)__i; }
static inline void nvtxNameCategoryA(uint32_t __c, const char *__m) { (void)__c, (void)__m; }
static inline void nvtxNameOsThreadA(uint32_t __t, const char *__m) { (void)__t, (void)__m; }
static inline nvtxDomainHandle_t nvtxDomainCreateA(const char *__m) { return (void)__m, (nvtxDomainHandle_t)0; }
static inline void nvtxDomainDestroy(nvtxDomainHandle_t __d) { (void)__d; }
static inline nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t __d, const char *__m) {
  return (void)__d, (void)__m, (nvtxStringHandle_t)0;
}
static inline void nvtxDomainMarkEx(nvtxDomainHandle_t __d, const nvtxEventAttributes_t *__e) { (void)__d, (void)__e; }
static inline int nvtxDomainRangePushEx(nvtxDomainHandle_t __d, const nvtxEventAttributes_t *__e) { return (void)__d, (void)__e, 0; }
static inline int nvtxDomainRangePop(nvtxDomainHandle_t __d) { return (void)__d, 0; }

#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA

#endif
