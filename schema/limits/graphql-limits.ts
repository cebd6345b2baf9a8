/** The limits of an operation; the settings contain all of them (server/settings/settings.ts). */
export type GraphQLLimits = {
  readonly tokens: number;
  /** Nested fields. */
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly directives: number;
  /** In units: a listed key is one, and so is a day of a key's readings (prices.ts). */
  readonly cost: number;
  /** Ids in one `nodes`. */
  readonly nodeIds: number;
  /** Ranks in one `percentiles`. */
  readonly percentileRanks: number;
  /** Keys that a topper can have. A topper with more is refused, and costs no more. */
  readonly topperItems: number;
};
