import { Component, type ReactNode, useState } from 'react';
import { load, save } from '../tab-storage.ts';

/** A page that was loaded again less than this time ago is not loaded again by itself. */
const pauseMilliseconds = 60_000;

/** Shows a sentence in place of a view whose file could not be loaded, while the rest of the page stays. */
export class ViewBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  /** The files of a tab that is older than the deployment are gone: the page is loaded again, once. */
  override componentDidCatch() {
    const last = load('reloadedAt') ?? 0;
    if (Date.now() - last > pauseMilliseconds) void reloadIfReachable();
  }

  override render() {
    return this.state.hasFailed ? <NotLoaded /> : this.props.children;
  }
}

const NotLoaded = () => {
  const [isUnreachable, setUnreachable] = useState(false);
  const retry = async () => setUnreachable(!(await reloadIfReachable()));
  return (
    <div className="failed" role="alert">
      <p>
        This view could not be loaded.
        {isUnreachable && ' The service still cannot be reached. Check your connection.'}
      </p>
      <button type="button" className="quiet" onClick={() => void retry()}>
        Try again
      </button>
    </div>
  );
};

/** Loads the page again, unless the browser would then have nothing to show. A browser may keep the failure of a file until then. */
const reloadIfReachable = async (): Promise<boolean> => {
  const page = await fetch(location.href, { cache: 'no-store' }).catch(() => undefined);
  if (!page?.ok) return false;
  save('reloadedAt', Date.now());
  location.reload();
  return true;
};
