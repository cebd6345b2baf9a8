/**
 * The classes of PostgreSQL's two-integer advisory locks: the first integer is the class, the
 * second says which one of it. They are told apart from other programs' locks by being unlikely
 * numbers ("CG" and a counter), and all of them stand here so that no two mean the same.
 */

/** By context_id: who changes the keys or samples of a context. One import at a time. */
export const CONTEXT_IMPORT_LOCK = 0x4347_01;

/** By slice_id, shared: an open transaction is filling the slice, whose status is `processing`. */
export const SLICE_HELD_LOCK = 0x4347_02;

/** By hash of a context's name: who creates the context, which has no id to lock yet. */
export const CONTEXT_CREATION_LOCK = 0x4347_03;

/**
 * Who detaches a partition, as PostgreSQL lets only one detach of a table be pending. 0: of
 * `samples`, 1: of the open pages, 2: of the sealed ones.
 */
export const PARTITION_REMOVAL_LOCK = 0x4347_04;

/**
 * By hash of the partition's name: who makes or removes a partition of open or sealed pages; shared,
 * to the end of a transaction: who writes pages into it, and needs it to stay.
 */
export const OPEN_PAGES_LOCK = 0x4347_05;
export const SEALED_PAGES_LOCK = 0x4347_06;

/** By context_id, until the end of a transaction: who merges segments of a context. */
export const CONTEXT_MERGE_LOCK = 0x4347_07;

/** 0: who turns what version 0.7 stored into segments, and then drops its tables. */
export const CONVERSION_LOCK = 0x4347_08;

/** 0: who decides the windows of alerts. */
export const ALERT_DECISION_LOCK = 0x4347_09;

/** By context_id, until the end of a transaction: who numbers beginnings and ends of events. */
export const ALERT_CHANGE_LOCK = 0x4347_0b;

/** 0: who tells the sinks of alerts what has begun and ended. */
export const NOTIFICATION_LOCK = 0x4347_0a;
