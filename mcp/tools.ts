import type { Tool } from './tool.ts';
import { alerts } from './tools/alerts.ts';
import { drilldown } from './tools/drilldown.ts';
import { keySeries } from './tools/key-series.ts';
import { listContexts } from './tools/list-contexts.ts';
import { listGroups } from './tools/list-groups.ts';
import { searchKeys } from './tools/search-keys.ts';
import { topper } from './tools/topper.ts';

/** All tools, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  listContexts,
  listGroups,
  topper,
  keySeries,
  drilldown,
  searchKeys,
  alerts,
];
