/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include <tickfloor/error.h>

#include "grow.h"
#include "input.h"
#include "refuse.h"
#include "xml.h"

#define CHUNK_BYTES (1 << 20) /* expat counts in int */

struct parse {
    const struct tkf_xml_handler *handler;
    void *state;
    XML_Parser parser;
    unsigned line_offset;  /* lines before the document */
    struct tkf_bytes text; /* of the element that is open and has no child yet */
};

static unsigned line_now(const struct parse *parse)
{
    return parse->line_offset + (unsigned)XML_GetCurrentLineNumber(parse->parser);
}

static void XMLCALL on_start(void *user, const XML_Char *element, const XML_Char **attributes)
{
    struct parse *parse = user;
    parse->text.length = 0;
    parse->handler->start(parse->state, element, attributes, line_now(parse));
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
    struct parse *parse = user;
    if (!tkf_bytes_add(&parse->text, text, (size_t)length))
        XML_StopParser(parse->parser, XML_FALSE);
}

static void XMLCALL on_end(void *user, const XML_Char *element)
{
    struct parse *parse = user;
    const char *text = parse->text.length > 0 ? parse->text.text : "";
    parse->handler->end(parse->state, element, text, line_now(parse));
    parse->text.length = 0;
}

/* The document within what surrounds it: from its <?xml?> where that comes first. */
static const char *find_document(const char *text, const char *root)
{
    const char *start = strstr(text, root);
    const char *declaration = strstr(text, "<?xml");
    return start && declaration && declaration < start ? declaration : start;
}

static int run(struct parse *parse, const char *text, size_t length)
{
    XML_SetUserData(parse->parser, parse);
    XML_SetElementHandler(parse->parser, on_start, on_end);
    XML_SetCharacterDataHandler(parse->parser, on_text);
    size_t done = 0;
    enum XML_Status status;
    do {
        size_t chunk = length - done < CHUNK_BYTES ? length - done : CHUNK_BYTES;
        status = XML_Parse(parse->parser, text + done, (int)chunk, done + chunk == length);
        done += chunk;
    } while (status == XML_STATUS_OK && done < length);
    return status == XML_STATUS_OK ? 0 : TKF_EFORMAT;
}

/* What stands before and after the document: another reader may know it. */
static void leave_around(struct tkf_input *in, const struct parse *parse, const char *all,
                         size_t before, size_t length)
{
    struct tkf_slice text = {.text = all, .length = before};
    if (!in->left)
        return;
    tkf_left_text(in->left, text, in->line + 1, NULL);
    if (XML_GetErrorCode(parse->parser) != XML_ERROR_JUNK_AFTER_DOC_ELEMENT)
        return;
    size_t stop = before + (size_t)XML_GetCurrentByteIndex(parse->parser);
    text = (struct tkf_slice){.text = all + stop, .length = length - stop};
    tkf_left_text(in->left, text, tkf_input_line_of(in, stop), NULL);
}

int tkf_xml_read(struct tkf_input *in, struct tkf_sink *sink, const struct tkf_xml_handler *handler,
                 void *state, struct tkf_input_error *ret_error)
{
    size_t length;
    const char *all = tkf_input_all(in, &length);
    if (!all)
        return TKF_EIO;
    const char *document = find_document(all, handler->root);
    if (!document) {
        return tkf_refuse(ret_error, 0, "give the XML file as it was written", "no %s> in it",
                          handler->root);
    }

    /* The input is UTF-8 by now, whatever the document declares. */
    struct parse parse = {.handler = handler, .state = state, .parser = XML_ParserCreate("UTF-8")};
    if (!parse.parser)
        return TKF_ENOMEM;
    size_t before = (size_t)(document - all);
    parse.line_offset = tkf_input_line_of(in, before) - 1;
    int error = run(&parse, document, length - before);
    if (error) {
        enum XML_Error code = XML_GetErrorCode(parse.parser);
        if (code == XML_ERROR_NO_MEMORY || code == XML_ERROR_ABORTED)
            error = TKF_ENOMEM;
        /* Program output after the document is no loss. */
        else if (code != XML_ERROR_JUNK_AFTER_DOC_ELEMENT)
            tkf_sink_notice(sink, line_now(&parse),
                            "the XML ends here: %s; what came before was read",
                            XML_ErrorString(code));
    }
    leave_around(in, &parse, all, before, length);
    XML_ParserFree(parse.parser);
    free(parse.text.text);
    return error == TKF_ENOMEM ? error : 0;
}

const char *tkf_xml_attribute(const char **attributes, const char *name)
{
    for (; *attributes; attributes += 2) {
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    }
    return NULL;
}
