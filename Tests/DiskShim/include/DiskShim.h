#ifndef DISK_SHIM_H
#define DISK_SHIM_H

/*
 Preloaded (LD_PRELOAD) into a process that writes a ledger, and only by tests. It records what the process asks of the
 disk under one folder, so that a test can rebuild what a power loss would have left; and it lets calls fail.

 DISK_SHIM_FOLDER  the ledger's folder
 DISK_SHIM_PART    whose data file it is about, by the name of its folder in there; without it: log
 DISK_SHIM_TRACE   where to append the trace; none is written without it
 DISK_SHIM_NOSYNC  set: fsync and fdatasync of the data file do nothing and are not recorded. Writes through a
                   descriptor opened with O_DSYNC stay durable.
 DISK_SHIM_FAIL    comma-separated KIND=N or KIND=N+M: the Nth call of that kind on that data file answers EIO, and so
                   do the M after it
     write       a write through the plain descriptor; nothing is written
     sync        fsync or fdatasync; nothing is synced
     meta        a write through the O_DSYNC descriptor; nothing is written
     meta-full   the same with ENOSPC, as file systems may answer that write elsewhere
     meta-kept   as meta, but the bytes are in the page cache
     meta-stuck  the same, and the next plain write, with which liblmdb takes them back, fails too

 A record of the trace: kind u8, 7 unused bytes, offset u64, length u64, then so many bytes; native byte order.
     w  bytes at an offset of the log's data file, in the page cache and no further
     d  the same bytes again: they are durable by themselves (O_DSYNC)
     c  bytes in the page cache that the disk has refused: no later sync writes them (fsync(2), EIO)
     s  everything written to the data file is durable
     a  bytes for standard output, recorded before they leave
     n  a new directory entry of this path: made, created or renamed to
     f  the entries of the folder of this path are durable
     x  a call is about to fail
     u  a call that is not modelled, by name
*/

#endif
