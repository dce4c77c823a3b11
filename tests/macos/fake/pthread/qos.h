/* SPDX-License-Identifier: MIT */
/** What bench/host/macos uses of pthread/qos.h; the numbers are those of macOS. */
#ifndef PTHREAD_QOS_H
#define PTHREAD_QOS_H

#include <pthread.h>

typedef enum {
    QOS_CLASS_USER_INTERACTIVE = 0x21,
    QOS_CLASS_DEFAULT = 0x15,
    QOS_CLASS_BACKGROUND = 0x09,
    QOS_CLASS_UNSPECIFIED = 0x00,
} qos_class_t;

int pthread_set_qos_class_self_np(qos_class_t qos, int priority);
int pthread_get_qos_class_np(pthread_t thread, qos_class_t *ret_qos, int *ret_priority);

#endif
