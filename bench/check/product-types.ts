import type * as feed from '../../ingest/feed/feed-batches.ts';
import type { Flow } from '../../ingest/flows/flow.ts';
import type * as embedded from '../../postgres/start-embedded.ts';
import type * as mergeInThread from '../../server/background/merge-in-thread.ts';
import type * as mergeScheduler from '../../server/background/merge-scheduler.ts';
import type * as settings from '../../server/settings/settings.ts';
import type * as server from '../../server/start-server.ts';
import type * as log from '../../server/telemetry/log.ts';
import type { FeedModule } from '../feed/product-parts.ts';
import type { ServerModules, StartEmbedded } from '../systems/product.ts';
import type { MergingModules } from '../systems/product-merging.ts';

/**
 * Compiled only by `npm run check`. A product change that the bench must follow is a type error
 * here; the bench itself is compiled without the product's sources.
 */
export const startEmbedded = (module: typeof embedded): StartEmbedded => module.startEmbedded;

export const serverModules = (
  module: typeof settings & typeof log & typeof server,
): ServerModules<settings.Settings, log.Logger> => module;

export const feedModule = (module: typeof feed): FeedModule<Flow> => module;

export const mergingModules = (
  module: typeof mergeScheduler & typeof mergeInThread,
): MergingModules<log.Logger> => module;
