// Package man writes lockside's manual pages.
//
// Nothing is said twice: what the pages have in common with the programs'
// help, with the list of settings and with ipc/PROTOCOL.md is taken from there.
// Only what a manual has beside that, such as signals, files and references, is
// in the files of the directory pages. They are Markdown with a few holes, and
// so is all that is put into them; go-md2man makes man(7) of it.
package man
