import { useEffect, useRef } from 'react';

/** Keeps the end in sight while it grows, unless the reader has scrolled away from it. Gives the element at the end. */
export const useStickToBottom = (changing: unknown) => {
  const end = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const watcher = new IntersectionObserver(
      ([entry]) => {
        isAtEnd.current = entry?.isIntersecting ?? true;
      },
      { rootMargin: '0px 0px 160px 0px' },
    );
    if (end.current) watcher.observe(end.current);
    return () => watcher.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever changes can make the conversation longer
  useEffect(() => {
    if (isAtEnd.current) end.current?.scrollIntoView({ block: 'end' });
  }, [changing]);
  return end;
};
