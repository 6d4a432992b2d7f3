import { lazy, Suspense, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { findKeys, isFind } from '../../find-keys.ts';
import { ViewBoundary } from '../view-boundary.tsx';
import type { View } from '../views.ts';

export const loadFindDialog = () => import('./find-dialog.tsx');
const FindDialog = lazy(loadFindDialog);

/** The way to everything by its name: a button, and Ctrl or ⌘ with K. */
export const Find = ({ views }: { views: View[] }) => {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!isFind(event)) return;
      event.preventDefault();
      setOpen(true);
    };
    document.addEventListener('keydown', open);
    return () => document.removeEventListener('keydown', open);
  }, []);
  return (
    <>
      <button type="button" className="quiet finder" aria-keyshortcuts="Control+K Meta+K" onClick={() => setOpen(true)}>
        Find … <span aria-hidden="true">{findKeys}</span>
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
