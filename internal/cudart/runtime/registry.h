// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registered images: kernels by their stubs, variables by their shadows, and the modules that
// are loaded of them.
#ifndef IRGL_RUNTIME_REGISTRY_H
#define IRGL_RUNTIME_REGISTRY_H

#include "launches.h"
#include "state.h"

namespace irgl {

void hook_exit();

inline void add_image(irgl_image *image, const irgl_part *part = nullptr) {
  Process &p = process();
  std::lock_guard<std::recursive_mutex> hold(p.registry);
  hook_exit();
  if (image->version != IRGL_REGISTRATION) {
    message("%s was compiled for version %u of the runtime's registration, this is version %d", image->name,
            image->version, IRGL_REGISTRATION);
    return;
  }
  ImageState *state = new ImageState;
  state->part = part;
  image->state = state;
  p.images.push_back(image);
  p.image_flags |= image->flags;
  // An instance of a template may be in several images: the first serves.
  for (size_t i = 0; i < image->kernel_count; i++)
    p.kernels.emplace(image->kernels[i].stub, Kernel{&image->kernels[i], image, {}});
  for (size_t i = 0; i < image->variable_count; i++)
    p.variables.emplace(image->variables[i].host, Variable{&image->variables[i], image});
}

// managed_memory allocates a managed variable, once. The registry is locked.
inline cudaError_t managed_memory(Backend &b, int device, void *initial, size_t size, const char *name, void **p) {
  void *&at = process().managed[initial];
  if (at == nullptr) {
    if (cudaError_t e = b.alloc_managed(device, size, name, &at)) {
      at = nullptr;
      return e;
    }
    process().memory.add(at, Block{Block::Managed, size, device, cudaMemAttachGlobal, at, true});
    memcpy(at, initial, size);
  }
  *p = at;
  return cudaSuccess;
}

// uses_queue reports whether device code of an image reads or writes the queue of launches.
inline bool uses_queue(const irgl_image *image) {
  if (const irgl_part *part = static_cast<const ImageState *>(image->state)->part)
    return part->launches != 0; // kernels that may call a function of another part have the flag, too
  return std::any_of(image->kernels, image->kernels + image->kernel_count,
                     [](const irgl_kernel &k) { return (k.flags & IRGL_LAUNCHES) != 0; });
}

// slot returns what is known of a device in a list.
inline LoadedImage &slot(std::vector<LoadedImage> &loaded, int device) {
  if (loaded.size() <= static_cast<size_t>(device))
    loaded.resize(static_cast<size_t>(device) + 1);
  return loaded[static_cast<size_t>(device)];
}

// linked_of returns the device code that a part was linked into, or null.
inline LinkedImage *linked_of(const irgl_part *part) {
  for (LinkedImage &l : process().linked)
    for (size_t i = 0; i < l.about->count; i++)
      if (strcmp(l.about->ids[i], part->id) == 0)
        return &l;
  return nullptr;
}

inline cudaError_t load_image(Backend &b, int device, irgl_image *image, Handle *module);

// load_linked loads the device code that a part was linked into, once.
inline cudaError_t load_linked(Backend &b, int device, const irgl_image *image, const irgl_part *part, Handle *module, bool *by_library) {
  LinkedImage *linked = linked_of(part);
  if (linked == nullptr) {
    message("%s: its device code has not been linked: link the program with irgl cuda build, or with the object that -dlink makes", image->name);
    return cudaErrorInvalidKernelImage;
  }
  LoadedImage &l = slot(linked->loaded, device);
  if (!l.tried) {
    l.tried = true;
    l.error = load_code(b, device, linked->about->name, linked->about->ptx, linked->about->size, linked->about->by_library, &l.module, &l.by_library);
  }
  *module = l.module;
  *by_library = l.by_library;
  return l.error;
}

// load_others prepares the other parts of the device code that an image is linked into: functions of
// theirs may be called, which use their variables.
inline cudaError_t load_others(Backend &b, int device, const irgl_image *image, const irgl_part *part) {
  const LinkedImage *linked = linked_of(part);
  const std::vector<irgl_image *> images = process().images;
  for (irgl_image *other : images) {
    const irgl_part *p = static_cast<const ImageState *>(other->state)->part;
    Handle module = 0;
    if (other != image && p != nullptr && linked_of(p) == linked)
      if (cudaError_t e = load_image(b, device, other, &module))
        return e;
  }
  return cudaSuccess;
}

// add_launches tells of an image with launches in device code that has been loaded.
inline cudaError_t add_launches(Backend &b, int device, const irgl_image *image, const LoadedImage &l) {
  DeviceState &d = device_state(device);
  if (l.by_library) {
    if (d.by_library == nullptr)
      d.by_library = std::make_shared<LibraryLaunches>(b, device);
    return d.by_library->add(image, l.module);
  }
  if (d.launches == nullptr)
    d.launches = std::make_shared<LaunchQueue>(b, device);
  d.launches->add(image, l.module);
  return cudaSuccess;
}

// load_image loads an image into a device, once. The registry is locked.
inline cudaError_t load_image(Backend &b, int device, irgl_image *image, Handle *module) {
  ImageState &s = *static_cast<ImageState *>(image->state);
  LoadedImage &l = slot(s.loaded, device);
  if (!l.tried) {
    l.tried = true;
    l.error = s.part != nullptr ? load_linked(b, device, image, s.part, &l.module, &l.by_library)
                                : load_code(b, device, image->name, image->ptx, image->size, image->by_library, &l.module, &l.by_library);
    if (l.error == cudaSuccess && uses_queue(image))
      l.error = add_launches(b, device, image, l);
    for (size_t i = 0; i < image->variable_count && l.error == cudaSuccess; i++) {
      const irgl_variable &v = image->variables[i];
      if (v.kind != IRGL_MANAGED)
        continue;
      void *at = nullptr, *pointer = nullptr;
      size_t n = 0;
      l.error = managed_memory(b, device, v.host, v.size, v.name, &at);
      if (l.error == cudaSuccess)
        l.error = b.global(device, l.module, v.name, &pointer, &n);
      if (l.error == cudaSuccess && n != sizeof at) {
        message("managed variable %s: its pointer in the PTX has %zu bytes", v.name, n);
        l.error = cudaErrorInvalidKernelImage;
      }
      if (l.error == cudaSuccess) {
        process().memory.add(pointer, Block{Block::Symbol, n, device, 0, pointer});
        const char *src = reinterpret_cast<const char *>(&at);
        l.error = b.copy(device,
                         Copy{static_cast<char *>(pointer), src, 8, 8, 8, 8, 8, 1, 1, cudaMemcpyHostToDevice, false, false},
                         nullptr, true);
      }
    }
    if (l.error == cudaSuccess && s.part != nullptr)
      l.error = load_others(b, device, image, s.part);
  }
  *module = l.module;
  return l.error;
}

// library_launches returns what is known of the launches by CUDA's device runtime in a device's code.
inline std::shared_ptr<LibraryLaunches> library_launches(int device) {
  std::lock_guard<std::recursive_mutex> hold(process().registry);
  return device_state(device).by_library;
}

// launch_queue returns the queue of launches in a device's code.
inline std::shared_ptr<LaunchQueue> launch_queue(int device) {
  std::lock_guard<std::recursive_mutex> hold(process().registry);
  return device_state(device).launches;
}

// function returns the kernel of a stub in a device, loaded.
inline cudaError_t function(Backend &b, int device, const void *stub, std::shared_ptr<Function> *f, const irgl_kernel **about) {
  Process &p = process();
  std::lock_guard<std::recursive_mutex> hold(p.registry);
  const auto i = p.kernels.find(stub);
  if (i == p.kernels.end())
    return cudaErrorInvalidDeviceFunction;
  Kernel &k = i->second;
  if (k.functions.size() <= static_cast<size_t>(device))
    k.functions.resize(static_cast<size_t>(device) + 1);
  std::shared_ptr<Function> &slot = k.functions[static_cast<size_t>(device)];
  if (slot == nullptr)
    slot.reset(new Function);
  if (!slot->loaded) {
    Handle module = 0;
    if (cudaError_t e = load_image(b, device, k.image, &module))
      return e;
    if (cudaError_t e = b.function(device, module, k.about->name, &slot->handle, &slot->info)) {
      if (e != cudaErrorSymbolNotFound)
        return e;
      message("%s: its device code has no kernel %s", k.image->name, k.about->name);
      return cudaErrorInvalidDeviceFunction;
    }
    if (k.about->behind != nullptr)
      if (cudaError_t e = b.function(device, module, k.about->behind, &slot->behind, &slot->behind_info))
        return e;
    slot->loaded = true;
    slot->by_library = irgl::slot(static_cast<ImageState *>(k.image->state)->loaded, device).by_library;
  }
  *f = slot;
  *about = k.about;
  return cudaSuccess;
}

// declares reports whether a variable of PTX is the C++ variable of a name: itself, or one with
// internal linkage.
inline bool declares(const char *ptx, const std::string &name) {
  return ptx == name || ptx == "_ZL" + std::to_string(name.size()) + name;
}

// named_symbol_in returns the shadow that a string literal is for: the literal, if it is a variable of
// the device, or the one variable that it names. Programs of toolkits before CUDA 5 name variables.
inline const void *named_symbol_in(Process &p, const char *literal, size_t size) {
  std::lock_guard<std::recursive_mutex> hold(p.registry);
  if (p.variables.find(literal) != p.variables.end() || memchr(literal, '\0', size) != literal + size - 1)
    return literal;
  const void *found = nullptr;
  for (const auto &v : p.variables) {
    if (!declares(v.second.about->name, literal))
      continue;
    if (found != nullptr) {
      refused(cudaErrorInvalidSymbol, "\"%s\" names variables of several files", literal);
      return literal;
    }
    // A managed variable is named by where it is.
    const auto m = p.managed.find(v.first);
    found = m == p.managed.end() ? v.first : m->second;
  }
  if (found != nullptr)
    return found;
  refused(cudaErrorInvalidSymbol, "\"%s\" names no variable of device code", literal);
  return literal;
}

// symbol returns where a variable is in a device.
inline cudaError_t symbol(Backend &b, int device, const void *shadow, void **at, size_t *size) {
  Process &p = process();
  std::lock_guard<std::recursive_mutex> hold(p.registry);
  const auto i = p.variables.find(shadow);
  if (i != p.variables.end() && i->second.about->kind != IRGL_MANAGED) {
    Handle module = 0;
    if (cudaError_t e = load_image(b, device, i->second.image, &module))
      return e;
    if (cudaError_t e = b.global(device, module, i->second.about->name, at, size))
      return e == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : e;
    p.memory.add(*at, Block{Block::Symbol, *size, device, 0, *at});
    return cudaSuccess;
  }
  // A managed variable is named by a reference to it.
  for (const auto &m : p.managed) {
    if (m.second == shadow && shadow != nullptr) {
      const auto v = p.variables.find(m.first);
      *at = m.second;
      *size = v == p.variables.end() ? 0 : v->second.about->size;
      return cudaSuccess;
    }
  }
  return cudaErrorInvalidSymbol;
}

// unload forgets what was loaded into a device that is reset.
inline void unload(int device) {
  Process &p = process();
  std::lock_guard<std::recursive_mutex> hold(p.registry);
  for (irgl_image *image : p.images) {
    ImageState &s = *static_cast<ImageState *>(image->state);
    if (static_cast<size_t>(device) < s.loaded.size())
      s.loaded[static_cast<size_t>(device)] = LoadedImage();
  }
  for (LinkedImage &l : p.linked)
    slot(l.loaded, device) = LoadedImage();
  device_state(device).launches = nullptr;
  if (const auto library = std::move(device_state(device).by_library))
    library->report();
  for (auto i = p.managed.begin(); i != p.managed.end();) {
    Block b;
    i = p.memory.find(i->second, 0, &b) && b.device == device ? p.managed.erase(i) : std::next(i);
  }
  for (auto &k : p.kernels)
    if (static_cast<size_t>(device) < k.second.functions.size())
      k.second.functions[static_cast<size_t>(device)] = nullptr; // another thread's launch may hold it
}

} // namespace irgl

extern "C" void irgl_register(irgl_image *image) { irgl::add_image(image); }

extern "C" void irgl_register_part(const irgl_part *part) { irgl::add_image(part->image, part); }

extern "C" void irgl_register_linked(const irgl_linked *linked) {
  irgl::Process &p = irgl::process();
  std::lock_guard<std::recursive_mutex> hold(p.registry);
  p.linked.push_back(irgl::LinkedImage{linked, {}});
}

#endif
