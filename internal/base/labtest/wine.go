//go:build wine

package labtest

import _ "unsafe" // for go:linkname

// Wine 8 lacks FileDispositionInformationEx and answers STATUS_NOT_IMPLEMENTED, after which package os, unlike after
// the statuses of older Windows systems, doesn't delete the file in the other way
// (internal/syscall/windows/at_windows.go, Deleteat). Without this, no test could remove its temporary directory.
//
//go:linkname deleteTheOtherWay internal/syscall/windows.TestDeleteatFallback
var deleteTheOtherWay bool

func init() { deleteTheOtherWay, onWine = true, true }
