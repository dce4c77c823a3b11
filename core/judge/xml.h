/* SPDX-License-Identifier: MIT */
/**
 * XML as events. What stands before the first mark of the document is skipped; a document that is
 * cut short or broken gives what was whole before that, and a notice.
 */
#ifndef TKF_XML_H
#define TKF_XML_H

#include "reader.h"

/**
 * What a reader does on each event. `text` is what the element held after its last child; all of
 * it where it has none.
 */
struct tkf_xml_handler {
    const char
        *root; /**< what the document begins with, but for an <?xml?>: "<PhoronixTestSuite" */
    void (*start)(void *state, const char *element, const char **attributes, unsigned line);
    void (*end)(void *state, const char *element, const char *text, unsigned line);
};

/**
 * Parse all of the input. @param state  handed to the handler.
 * Errors: TKF_EFORMAT with *ret_error when it holds no such document · TKF_EIO · TKF_ENOMEM.
 */
int tkf_xml_read(struct tkf_input *in, struct tkf_sink *sink, const struct tkf_xml_handler *handler,
                 void *state, struct tkf_input_error *ret_error);

/** An attribute by its name; NULL when the element has none. */
const char *tkf_xml_attribute(const char **attributes, const char *name);

#endif
