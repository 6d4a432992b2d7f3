/** A value of the user's own, as formatted JSON. */
export const Json = ({ title, value }: { title: string; value: unknown }) => (
  <section>
    <h3>{title}</h3>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard */}
    <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
  </section>
);
