#ifndef DISK_SHIM_H
#define DISK_SHIM_H

/*
 Preloaded (LD_PRELOAD) into a process that writes a ledger, only by tests. It records the process's disk operations
 under one folder, so that a test can rebuild the disk after a power loss. It can also make calls fail.

 DISK_SHIM_FOLDER  the ledger's folder
 DISK_SHIM_PART    the subfolder with the data file to observe; log by default
 DISK_SHIM_TRACE   the file to which the trace is appended; without it, none is written
 DISK_SHIM_NOSYNC  if set, fsync and fdatasync of the data file do nothing and are not recorded. Writes through a
                   descriptor opened with O_DSYNC stay durable.
 DISK_SHIM_FAIL    comma-separated KIND=N or KIND=N+M: the Nth call of that kind on that data file and the M calls
                   after it fail with EIO
     write       a write through the plain descriptor; nothing is written
     sync        fsync or fdatasync; nothing is synced
     meta        a write through the O_DSYNC descriptor; nothing is written
     meta-full   as meta, with ENOSPC, which other file systems may return for that write
     meta-kept   as meta, but the bytes are in the page cache
     meta-stuck  as meta-kept, and the next plain write, with which liblmdb restores the old bytes, fails too

 A record of the trace: kind u8, 7 unused bytes, offset u64, length u64, then `length` bytes; native byte order.
     w  bytes at an offset of the data file, in the page cache only
     d  the same bytes again, now durable (O_DSYNC)
     c  bytes in the page cache that the disk has refused; no later sync writes them (fsync(2), EIO)
     s  everything written to the data file is durable
     a  bytes for standard output, recorded before they are written
     n  a new directory entry with this path, created or renamed to
     f  the entries of the folder with this path are durable
     x  a call is about to fail
     u  the name of a call that is not modelled
*/

#endif
