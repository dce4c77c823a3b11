/* SPDX-License-Identifier: MIT */
#include <capstone/capstone.h>
#include <stdio.h>
#include <string.h>

#include "arch.h"
#include "bench_verb.h"

#define INSTRUCTIONS_MAX 1000
#define LENGTH_MAX       16 /* bytes of one instruction, on any architecture */

const bool tkf_can_disassemble = true;

/** One instruction, as far as the end of a function and its loops need it. */
struct instruction {
    uint64_t address; /* from the function's beginning */
    uint64_t target;  /* of a jump or call, likewise; 0 otherwise */
    bool ends;        /* nothing follows it: a return, or a jump without condition */
    char mnemonic[32], operands[160];
};

static bool open_for_this_cpu(csh *ret_handle)
{
    static const struct {
        const char *name;
        cs_arch arch;
        cs_mode mode;
    } known[] = {{"amd64", CS_ARCH_X86, CS_MODE_64}, {"arm64", CS_ARCH_ARM64, CS_MODE_ARM}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(tkf_arch_name, known[i].name) == 0)
            return cs_open(known[i].arch, known[i].mode, ret_handle) == CS_ERR_OK;
    }
    return false;
}

/** The last operand that is a number: of a branch, where it goes. */
static uint64_t branch_target(const cs_insn *insn)
{
    uint64_t target = 0;
    if (strcmp(tkf_arch_name, "amd64") == 0) {
        for (int i = 0; i < insn->detail->x86.op_count; i++) {
            if (insn->detail->x86.operands[i].type == X86_OP_IMM)
                target = (uint64_t)insn->detail->x86.operands[i].imm;
        }
    } else {
        for (int i = 0; i < insn->detail->arm64.op_count; i++) {
            if (insn->detail->arm64.operands[i].type == ARM64_OP_IMM)
                target = (uint64_t)insn->detail->arm64.operands[i].imm;
        }
    }
    return target;
}

static bool is_unconditional(const cs_insn *insn)
{
    return strcmp(insn->mnemonic, "jmp") == 0 || strcmp(insn->mnemonic, "b") == 0 ||
           strcmp(insn->mnemonic, "br") == 0;
}

static void read_instruction(csh handle, const cs_insn *insn, struct instruction *ret)
{
    bool jumps = cs_insn_group(handle, insn, CS_GRP_JUMP);
    *ret = (struct instruction){.address = insn->address};
    ret->target = jumps || cs_insn_group(handle, insn, CS_GRP_CALL) ? branch_target(insn) : 0;
    ret->ends = cs_insn_group(handle, insn, CS_GRP_RET) || (jumps && is_unconditional(insn));
    snprintf(ret->mnemonic, sizeof ret->mnemonic, "%s", insn->mnemonic);
    snprintf(ret->operands, sizeof ret->operands, "%s", insn->op_str);
}

/** How many instructions the function has: up to one that ends it and that no branch leads past. */
static unsigned read_function(csh handle, const void *function, struct instruction *ret)
{
    const uint8_t *code = function;
    uint64_t address = 0, farthest = 0; /* from its beginning: so the targets within it read well */
    cs_insn *insn = cs_malloc(handle);
    unsigned n = 0;
    while (insn != NULL && n < INSTRUCTIONS_MAX) {
        size_t size = LENGTH_MAX;
        if (!cs_disasm_iter(handle, &code, &size, &address, insn))
            break;
        read_instruction(handle, insn, &ret[n]);
        /* A jump far away is one to another function, its cold part or a tail call. */
        if (ret[n].target > farthest && ret[n].target < 4096)
            farthest = ret[n].target;
        if (ret[n++].ends && address > farthest)
            break;
    }
    cs_free(insn, 1);
    return n;
}

/** Whether some jump leads back over this instruction. */
static bool in_loop(const struct instruction *all, unsigned n, unsigned i)
{
    for (unsigned k = i; k < n; k++) {
        if (all[k].target != 0 && all[k].target <= all[i].address)
            return true;
    }
    return false;
}

void tkf_disassemble(const void *function)
{
    static struct instruction all[INSTRUCTIONS_MAX];
    csh handle;
    if (!open_for_this_cpu(&handle)) {
        printf("Its machine code is not shown: capstone does not know %s here.\n", tkf_arch_name);
        return;
    }
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    unsigned n = read_function(handle, function, all);
    cs_close(&handle);
    puts("Its machine code; a bar marks loops, and padding is left out:");
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(all[i].mnemonic, "nop") == 0)
            continue;
        bool leads_out =
            all[i].target > all[n - 1].address; /* before the beginning too: unsigned */
        printf("  %c %4llx  %-8s%s\n", in_loop(all, n, i) ? '|' : ' ',
               (unsigned long long)all[i].address, all[i].mnemonic,
               leads_out ? "(another function)" : all[i].operands);
    }
}
