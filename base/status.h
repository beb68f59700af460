/* Status codes of yoke's own functions. Everyone may use it; it never touches OpenCL: the shim translates
 * to cl_int in one table (shim/api). The function that decides an error logs it, once. */
#ifndef YK_BASE_STATUS_H
#define YK_BASE_STATUS_H

typedef enum yk_status {
    YK_OK = 0,
    YK_ENOMEM,       /* host memory */
    YK_EDEVMEM,      /* device memory */
    YK_EINVAL,       /* a caller's argument */
    YK_ENOTFOUND,    /* no such file, device, kernel, record */
    YK_EIO,          /* file, pipe, process */
    YK_EFORMAT,      /* malformed input: file, record, text */
    YK_EUNSUPPORTED, /* understood, and cannot be done here */
    YK_EDEVICE,      /* a driver failed */
    YK_EBUILD,       /* a program does not compile */
    YK_ETIMEOUT,
    YK_ELIMIT, /* over a budget or a fixed limit */
    YK_ECANCELED,
    YK_STATUS_COUNT
} yk_status;

/** Constant text for S, never NULL. Thread: any. */
const char *yk_status_text(yk_status s);

#endif
