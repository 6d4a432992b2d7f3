import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';

/** The distance from the end that still counts as the end. */
const tolerancePixels = 24;

/**
 * Keeps the end of a scrolled element in view while its content grows, until the user scrolls up. Returns a function that
 * starts following again.
 */
export const useFollowEnd = (scroller: RefObject<HTMLElement | null>, initialTop: number | undefined) => {
  const isFollowing = useRef(initialTop === undefined);
  const lastTop = useRef(0);
  const toEnd = useCallback(() => {
    if (isFollowing.current) scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [scroller]);

  // Runs before the browser paints, and so before a scroll event reports the content that was just added.
  useLayoutEffect(toEnd);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      if (scrollHeight - scrollTop - clientHeight < tolerancePixels) isFollowing.current = true;
      else if (scrollTop < lastTop.current) isFollowing.current = false;
      lastTop.current = scrollTop;
    };
    if (initialTop !== undefined) element.scrollTop = initialTop;
    element.addEventListener('scroll', onScroll, { passive: true });
    const resized = new ResizeObserver(toEnd);
    resized.observe(element);
    return () => {
      element.removeEventListener('scroll', onScroll);
      resized.disconnect();
    };
  }, [scroller, initialTop, toEnd]);

  return () => {
    isFollowing.current = true;
    toEnd();
  };
};
