import { LIMITS } from '../../domain/limits.ts';
import { shownTotal, shownValue } from '../../domain/toppers/topper-arithmetic.ts';
import type { ContextView } from '../../resolvers/contexts.ts';
import { type KeyView, labelOf } from '../../resolvers/keys.ts';
import { shownOthers, type Topper } from '../../resolvers/toppers/toppers.ts';
import type { AnsweringEndpoint } from '../endpoint.ts';
import { decodeTopper, type TopperOptions } from '../parameters/decode-topper.ts';
import { type Gauge, gaugesText, PROMETHEUS_TYPE } from './prometheus-text.ts';
import { topper, topperAnswer } from './topper.ts';

/**
 * A topper for Prometheus to scrape. It takes the parameters of the topper endpoint; those that
 * choose another answer format have no effect here. It accepts credentials only in the header,
 * because Prometheus shows the URLs of its targets to everyone who sees its pages.
 */
export const topperMetrics: AnsweringEndpoint<TopperOptions> = {
  path: '/metrics/toppers',
  isScraped: true,
  timeout: topper.timeout,
  ...(topper.require && { require: topper.require }),
  decode(parameters, settings, checkPattern) {
    const maxTopperItems = Math.min(settings.maxTopperItems, LIMITS.topperMetricsItems);
    return decodeTopper(parameters, { ...settings, maxTopperItems }, checkPattern);
  },
  async answer(scope, at, options) {
    const answer = await topperAnswer(scope, at, options);
    return {
      status: 200,
      headers: { 'content-type': PROMETHEUS_TYPE },
      body: gaugesText(gaugesOf(answer, at, options)),
    };
  },
};

function gaugesOf(answer: Topper, at: ContextView, { resolveKeys }: TopperOptions): Gauge[] {
  const { rule, meter } = answer.plan;
  const labels = {
    context: at.name,
    group: meter.group.row.name,
    guid: meter.group.guid,
    meter: meter.row.name,
  };
  const labelsOf = (key: KeyView) => ({
    ...labels,
    key: key.row.key,
    ...(resolveKeys && { label: labelOf(key) }),
  });
  return [
    {
      name: 'countergraph_topper',
      help: 'The metric of each of the largest keys of the group in the window',
      samples: answer.keys.map(({ key, value }) => ({
        labels: labelsOf(key),
        value: shownValue(value, rule),
      })),
    },
    {
      name: 'countergraph_topper_others',
      help: 'The metric of all keys of the group that are not listed',
      samples: [{ labels, value: shownOthers(answer) }],
    },
    {
      name: 'countergraph_topper_group',
      help: 'The metric of the whole group in the window',
      samples: [{ labels, value: shownTotal(answer.total, rule) }],
    },
  ];
}
