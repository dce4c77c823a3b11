/* SPDX-License-Identifier: MIT */
#include "midr.h"

#include <stddef.h>

/*
 * MIDR_EL1: implementer in bits 31:24, part in 15:4 (Arm ARM, D19.2 "MIDR_EL1"). The numbers are those of the cores'
 * technical reference manuals and of the kernels that run on them.
 */
static const struct {
    uint8_t implementer;
    uint16_t part;
    const char *name;
} cores[] = {
    {0x41, 0xd01, "Arm Cortex-A32"},
    {0x41, 0xd02, "Arm Cortex-A34"},
    {0x41, 0xd03, "Arm Cortex-A53"},
    {0x41, 0xd04, "Arm Cortex-A35"},
    {0x41, 0xd05, "Arm Cortex-A55"},
    {0x41, 0xd06, "Arm Cortex-A65"},
    {0x41, 0xd07, "Arm Cortex-A57"},
    {0x41, 0xd08, "Arm Cortex-A72"},
    {0x41, 0xd09, "Arm Cortex-A73"},
    {0x41, 0xd0a, "Arm Cortex-A75"},
    {0x41, 0xd0b, "Arm Cortex-A76"},
    {0x41, 0xd0c, "Arm Neoverse N1"},
    {0x41, 0xd0d, "Arm Cortex-A77"},
    {0x41, 0xd0e, "Arm Cortex-A76AE"},
    {0x41, 0xd15, "Arm Cortex-R82"},
    {0x41, 0xd40, "Arm Neoverse V1"},
    {0x41, 0xd41, "Arm Cortex-A78"},
    {0x41, 0xd42, "Arm Cortex-A78AE"},
    {0x41, 0xd44, "Arm Cortex-X1"},
    {0x41, 0xd46, "Arm Cortex-A510"},
    {0x41, 0xd47, "Arm Cortex-A710"},
    {0x41, 0xd48, "Arm Cortex-X2"},
    {0x41, 0xd49, "Arm Neoverse N2"},
    {0x41, 0xd4a, "Arm Neoverse E1"},
    {0x41, 0xd4b, "Arm Cortex-A78C"},
    {0x41, 0xd4c, "Arm Cortex-X1C"},
    {0x41, 0xd4d, "Arm Cortex-A715"},
    {0x41, 0xd4e, "Arm Cortex-X3"},
    {0x41, 0xd4f, "Arm Neoverse V2"},
    {0x41, 0xd80, "Arm Cortex-A520"},
    {0x41, 0xd81, "Arm Cortex-A720"},
    {0x41, 0xd82, "Arm Cortex-X4"},
    {0x41, 0xd83, "Arm Neoverse V3AE"},
    {0x41, 0xd84, "Arm Neoverse V3"},
    {0x41, 0xd85, "Arm Cortex-X925"},
    {0x41, 0xd87, "Arm Cortex-A725"},
    {0x41, 0xd88, "Arm Cortex-A520AE"},
    {0x41, 0xd89, "Arm Cortex-A720AE"},
    {0x41, 0xd8a, "Arm C1-Nano"},
    {0x41, 0xd8b, "Arm C1-Pro"},
    {0x41, 0xd8c, "Arm C1-Ultra"},
    {0x41, 0xd8e, "Arm Neoverse N3"},
    {0x41, 0xd8f, "Arm Cortex-A320"},
    {0x41, 0xd90, "Arm C1-Premium"},
    {0x42, 0x516, "Broadcom Vulcan"},
    {0x43, 0x0a1, "Cavium ThunderX"},
    {0x43, 0x0af, "Cavium ThunderX2"},
    {0x46, 0x001, "Fujitsu A64FX"},
    {0x48, 0xd01, "HiSilicon TaiShan v110 (Kunpeng 920)"},
    {0x48, 0xd02, "HiSilicon TaiShan v120 (HIP09)"},
    {0x4e, 0x003, "NVIDIA Denver 2"},
    {0x4e, 0x004, "NVIDIA Carmel"},
    {0x4e, 0x010, "NVIDIA Olympus"},
    {0x51, 0x001, "Qualcomm Oryon"},
    {0x51, 0x002, "Qualcomm Oryon (X2)"},
    {0x51, 0x800, "Qualcomm Kryo 2xx Gold"},
    {0x51, 0x801, "Qualcomm Kryo 2xx Silver"},
    {0x51, 0x802, "Qualcomm Kryo 3xx Gold"},
    {0x51, 0x803, "Qualcomm Kryo 3xx Silver"},
    {0x51, 0x804, "Qualcomm Kryo 4xx Gold"},
    {0x51, 0x805, "Qualcomm Kryo 4xx Silver"},
    {0x51, 0xc00, "Qualcomm Falkor"},
    {0x61, 0x020, "Apple Icestorm (A14)"},
    {0x61, 0x021, "Apple Firestorm (A14)"},
    {0x61, 0x022, "Apple Icestorm (M1)"},
    {0x61, 0x023, "Apple Firestorm (M1)"},
    {0x61, 0x024, "Apple Icestorm (M1 Pro)"},
    {0x61, 0x025, "Apple Firestorm (M1 Pro)"},
    {0x61, 0x028, "Apple Icestorm (M1 Max)"},
    {0x61, 0x029, "Apple Firestorm (M1 Max)"},
    {0x61, 0x032, "Apple Blizzard (M2)"},
    {0x61, 0x033, "Apple Avalanche (M2)"},
    {0x61, 0x034, "Apple Blizzard (M2 Pro)"},
    {0x61, 0x035, "Apple Avalanche (M2 Pro)"},
    {0x61, 0x038, "Apple Blizzard (M2 Max)"},
    {0x61, 0x039, "Apple Avalanche (M2 Max)"},
    {0x61, 0x042, "Apple Sawtooth (M3)"},
    {0x61, 0x043, "Apple Everest (M3)"},
    {0x61, 0x044, "Apple Sawtooth (M3 Pro)"},
    {0x61, 0x045, "Apple Everest (M3 Pro)"},
    {0x61, 0x048, "Apple Sawtooth (M3 Max)"},
    {0x61, 0x049, "Apple Everest (M3 Max)"},
    {0x61, 0x052, "Apple efficiency core (M4)"},
    {0x61, 0x053, "Apple performance core (M4)"},
    {0x61, 0x054, "Apple efficiency core (M4 Pro)"},
    {0x61, 0x055, "Apple performance core (M4 Pro)"},
    {0x61, 0x058, "Apple efficiency core (M4 Max)"},
    {0x61, 0x059, "Apple performance core (M4 Max)"},
    {0x6d, 0xd49, "Microsoft Cobalt 100 (Neoverse N2)"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1A"},
    {0xc0, 0xac5, "Ampere-1B"},
};

const char *tkf_arm64_midr_name(uint64_t midr)
{
    for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++)
        if ((midr >> 24 & 0xff) == cores[i].implementer && (midr >> 4 & 0xfff) == cores[i].part)
            return cores[i].name;
    return NULL;
}
