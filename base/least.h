/* The smaller and the larger of two numbers of one type; each is evaluated once. */
#ifndef YK_BASE_LEAST_H
#define YK_BASE_LEAST_H

#define YK_MIN(a, b)                                                                                                   \
    __extension__({                                                                                                    \
        const __typeof__(a) a_ = (a);                                                                                  \
        const __typeof__(b) b_ = (b);                                                                                  \
        a_ < b_ ? a_ : b_;                                                                                             \
    })
#define YK_MAX(a, b)                                                                                                   \
    __extension__({                                                                                                    \
        const __typeof__(a) a_ = (a);                                                                                  \
        const __typeof__(b) b_ = (b);                                                                                  \
        a_ > b_ ? a_ : b_;                                                                                             \
    })

#endif
