/** A placeholder with the shape of the results, so that nothing moves when they arrive. */
export function TopSkeleton({ rows }: { readonly rows: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      <div class="summary">
        {Array.from({ length: 4 }, (_, index) => (
          <div key={index} class="summary-item">
            <span class="bone is-short" />
            <span class="bone is-tall" />
          </div>
        ))}
      </div>
      <div class="card chart-card">
        <span class="bone is-chart" />
      </div>
      <div class="card table-card">
        {Array.from({ length: rows + 1 }, (_, index) => (
          <span key={index} class="bone is-row" />
        ))}
      </div>
    </div>
  );
}
