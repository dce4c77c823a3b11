// SPDX-License-Identifier: MIT
module tickfloor/empty

go 1.18
