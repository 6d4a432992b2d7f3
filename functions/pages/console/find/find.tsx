import { lazy, Suspense, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { ViewBoundary } from '../view-boundary.tsx';
import type { View } from '../views.ts';

export const loadFindDialog = () => import('./find-dialog.tsx');
const FindDialog = lazy(loadFindDialog);

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The way to everything by its name: a button, and Ctrl or ⌘ with K. */
export const Find = ({ views }: { views: View[] }) => {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', open);
    return () => document.removeEventListener('keydown', open);
  }, []);
  return (
    <>
      <button type="button" className="quiet finder" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen(true)}>
        Find … <span aria-hidden="true">{isApple ? '⌘K' : 'Ctrl K'}</span>
      </button>
      {isOpen &&
        // The button is in the rail, which a phone hides.
        createPortal(
          <ViewBoundary>
            <Suspense>
              <FindDialog views={views} onClose={() => setOpen(false)} />
            </Suspense>
          </ViewBoundary>,
          document.body,
        )}
    </>
  );
};
