/** Allowed lengths of a context's slices (operations, "apply files"). */
export const SLICE_SECONDS = [3_600, 86_400] as const;

export const DEFAULT_SLICE_SECONDS = 86_400;
