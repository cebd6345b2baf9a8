/** Limits of what users change over GraphQL. */
export const EDIT_LIMITS = {
  /** Keys in one `updateKeys`: the largest page of a list of keys (decisions, section 10). */
  updatedKeys: 1_000,
  /** Characters of a label that a user types: several times the longest host name. */
  labelCharacters: 1_000,
  /** Characters of a description, and of an attribute's value: some pages of text. */
  descriptionCharacters: 10_000,
  /** Attributes of a key: what an inventory knows about a host. */
  keyAttributes: 100,
  /** Characters of an attribute's name. */
  attributeNameCharacters: 200,
  /** Tags of a slice (decisions, section 10). */
  sliceTags: 20,
  /** Characters of each tag. */
  sliceTagCharacters: 100,
} as const;
