/**
 * The classes of PostgreSQL's two-integer advisory locks: the first integer is the class, the
 * second identifies one lock of that class. The classes are unlikely numbers ("CG" and a counter),
 * to keep them apart from the locks of other programs. All are declared here, so that no two are
 * the same.
 */

/** By context_id: held to change the keys or samples of a context. One import at a time. */
export const CONTEXT_IMPORT_LOCK = 0x4347_01;

/**
 * By slice_id, shared: held by an open transaction that is filling the slice, whose status is then
 * `processing`.
 */
export const SLICE_HELD_LOCK = 0x4347_02;

/** By hash of a context's name: held to create the context, which has no id to lock yet. */
export const CONTEXT_CREATION_LOCK = 0x4347_03;

/**
 * Held to detach a partition, because PostgreSQL allows only one pending detach of a table. 1: of
 * the open pages, 2: of the sealed pages.
 */
export const PARTITION_REMOVAL_LOCK = 0x4347_04;

/**
 * By hash of the partition's name: held to create or remove a partition of open or sealed pages.
 * Shared, until the end of a transaction: held to write pages into the partition, which must then
 * stay.
 */
export const OPEN_PAGES_LOCK = 0x4347_05;
export const SEALED_PAGES_LOCK = 0x4347_06;

/** By context_id, until the end of a transaction: held to merge segments of a context. */
export const CONTEXT_MERGE_LOCK = 0x4347_07;

/** 0: held to convert the segments of version 1.7, and then to drop their tables. */
export const CONVERSION_LOCK = 0x4347_08;

/** 0: held by the server that decides the windows of alerts. */
export const ALERT_DECISION_LOCK = 0x4347_09;

/** By context_id, until the end of a transaction: held to number beginnings and ends of events. */
export const ALERT_CHANGE_LOCK = 0x4347_0b;

/** By hash of context and probe: held by the feed that fills them. */
export const FEED_LOCK = 0x4347_0c;

/** 0: held by the server that notifies the sinks of alerts of beginnings and ends of events. */
export const NOTIFICATION_LOCK = 0x4347_0a;
