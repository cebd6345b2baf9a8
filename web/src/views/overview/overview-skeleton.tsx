/** A placeholder with the shape of the overview, so that little moves when it arrives. */
export function OverviewSkeleton() {
  return (
    <div class="skeleton" aria-hidden="true">
      <div class="overview-main">
        <div class="card chart-card">
          <span class="bone is-chart" />
        </div>
        <div class="card">
          <span class="bone is-list" />
        </div>
      </div>
      <CardsSkeleton count={6} />
    </div>
  );
}

export const CardsSkeleton = ({ count }: { readonly count: number }) => (
  <div class="skeleton overview-cards" aria-hidden="true">
    {Array.from({ length: count }, (_, index) => (
      <div key={index} class="card">
        <span class="bone is-list" />
      </div>
    ))}
  </div>
);
