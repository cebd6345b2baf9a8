const WIDTH = 100;
const HEIGHT = 24;

/** A line as small as a word: when it was much and when little. The figures beside it say it. */
export function Sparkline({ values }: { readonly values: readonly (number | null)[] }) {
  const most = Math.max(0, ...values.map((value) => value ?? 0));
  // The last value only closes the last step.
  const steps = values.slice(0, -1);
  if (most === 0 || steps.length < 2) return <span class="sparkline" />;
  const width = WIDTH / steps.length;
  const path = steps
    .map((value, index) => {
      const y = (HEIGHT * (1 - (value ?? 0) / most)).toFixed(1);
      return `L${(index * width).toFixed(1)} ${y}H${((index + 1) * width).toFixed(1)}`;
    })
    .join('');
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      <path d={`M0 ${HEIGHT}${path}V${HEIGHT}Z`} />
    </svg>
  );
}
