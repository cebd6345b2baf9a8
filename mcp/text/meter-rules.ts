/** How a meter's readings combine over a window, by its type (decision 23). */
const SUM = 'sum over the window';
const RATE = 'sum of the averages of the topper buckets (volume ÷ topper bucket size)';
const MEAN = 'mean of the readings in the window';
const LARGEST = 'largest reading in the window';
const SMALLEST = 'smallest reading in the window';

const RULES: Readonly<Record<string, string>> = {
  VT_COUNTER: SUM,
  VT_COUNTER_WITH_SLIDING_WINDOW: SUM,
  VT_RATE_COUNTER: RATE,
  VT_RATE_COUNTER_WITH_SLIDING_WINDOW: RATE,
  VT_DELTA_RATE_COUNTER: RATE,
  VT_GAUGE: MEAN,
  VT_GAUGE_MIN_MAX_AVG: MEAN,
  VT_AVERAGE: MEAN,
  VT_AUTO: MEAN,
  VT_RUNNING_COUNTER: LARGEST,
  VT_MAX: LARGEST,
  VT_MIN: SMALLEST,
};

export const ruleOf = (type: string): string => RULES[type] ?? 'cannot be ranked';

/** Whether the listed keys and all others add up to the total. */
export const addsUp = (type: string): boolean => isSum(type) || isRate(type);

export const isRate = (type: string): boolean => ruleOf(type) === RATE;

/** Whether the points of a series add up to the metric of the window. */
export const isSum = (type: string): boolean => ruleOf(type) === SUM;
