import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice } from '../parts/notice.tsx';

/**
 * A component whose code is loaded when it is first shown, as many visits do without it. Its
 * placeholder is busy, as a view that waits for its first answer.
 */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  return function Lazy(props: Props) {
    const [Shown, setShown] = useState(() => loaded);
    const [isMissing, setMissing] = useState(false);
    useEffect(() => {
      if (Shown) return;
      load().then(
        (component) => {
          loaded = component;
          setShown(() => component);
        },
        () => setMissing(true),
      );
    }, []);
    if (Shown) return <Shown {...props} />;
    if (!isMissing) return <p class="view" role="status" aria-busy="true" />;
    return (
      <Notice title="This part of the page could not be loaded">
        <p>The server is away, or was updated meanwhile. Reload the page.</p>
      </Notice>
    );
  };
}
