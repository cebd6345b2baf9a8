/** What an operation may ask for; the settings give each of them (server/settings/settings.ts). */
export type GraphQLLimits = {
  readonly tokens: number;
  /** Fields within fields. */
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly directives: number;
  /** In units: a listed key is one, and so are a key's readings of a day (prices.ts). */
  readonly cost: number;
  /** Ids given to one `nodes`. */
  readonly nodeIds: number;
  /** Ranks given to one `percentiles`. */
  readonly percentileRanks: number;
  /** Keys that a topper can have: one that asks for more is refused, and costs no more. */
  readonly topperItems: number;
};
