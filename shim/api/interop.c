/* OpenGL and EGL sharing: refused. A context of yoke holds devices of several drivers, none of which shares objects
 * with the app's GL context through it; no extension string of the virtual device promises it. */
#include "base/log.h"
#include "shim/api/api.h"

static cl_int refuse(const char *name)
{
    yk_info("%s: sharing with OpenGL or EGL is not offered", name);
    return CL_INVALID_OPERATION;
}

#define REFUSE_MEM(name, params)                                                                                       \
    cl_mem yk_api_##name params                                                                                        \
    {                                                                                                                  \
        yk_set_err(errcode_ret, refuse("cl" #name));                                                                   \
        return NULL;                                                                                                   \
    }
#define REFUSE(name, params)                                                                                           \
    cl_int yk_api_##name params                                                                                        \
    {                                                                                                                  \
        return refuse("cl" #name);                                                                                     \
    }
#define REFUSE_EVENT(name, params)                                                                                     \
    cl_event yk_api_##name params                                                                                      \
    {                                                                                                                  \
        yk_set_err(errcode_ret, refuse("cl" #name));                                                                   \
        return NULL;                                                                                                   \
    }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
REFUSE_MEM(CreateFromGLBuffer, (cl_context context, cl_mem_flags flags, cl_GLuint bufobj, cl_int *errcode_ret))
REFUSE_MEM(CreateFromGLTexture, (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                                 cl_GLuint texture, cl_int *errcode_ret))
REFUSE_MEM(CreateFromGLRenderbuffer,
           (cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer, cl_int *errcode_ret))
REFUSE(GetGLObjectInfo, (cl_mem memobj, cl_gl_object_type *gl_object_type, cl_GLuint *gl_object_name))
REFUSE(GetGLTextureInfo, (cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret))
REFUSE(EnqueueAcquireGLObjects, (cl_command_queue command_queue, cl_uint num_objects, const cl_mem *mem_objects,
                                 cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event))
REFUSE(EnqueueReleaseGLObjects, (cl_command_queue command_queue, cl_uint num_objects, const cl_mem *mem_objects,
                                 cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event))
REFUSE_MEM(CreateFromGLTexture2D, (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                                   cl_GLuint texture, cl_int *errcode_ret))
REFUSE_MEM(CreateFromGLTexture3D, (cl_context context, cl_mem_flags flags, cl_GLenum target, cl_GLint miplevel,
                                   cl_GLuint texture, cl_int *errcode_ret))
REFUSE(GetGLContextInfoKHR, (const cl_context_properties *properties, cl_gl_context_info param_name,
                             size_t param_value_size, void *param_value, size_t *param_value_size_ret))
REFUSE_EVENT(CreateEventFromGLsyncKHR, (cl_context context, cl_GLsync sync, cl_int *errcode_ret))
REFUSE_MEM(CreateFromEGLImageKHR,
           (cl_context context, CLeglDisplayKHR egldisplay, CLeglImageKHR eglimage, cl_mem_flags flags,
            const cl_egl_image_properties_khr *properties, cl_int *errcode_ret))
REFUSE(EnqueueAcquireEGLObjectsKHR, (cl_command_queue command_queue, cl_uint num_objects, const cl_mem *mem_objects,
                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event))
REFUSE(EnqueueReleaseEGLObjectsKHR, (cl_command_queue command_queue, cl_uint num_objects, const cl_mem *mem_objects,
                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event))
REFUSE_EVENT(CreateEventFromEGLSyncKHR,
             (cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display, cl_int *errcode_ret))
#pragma GCC diagnostic pop
