/** Something an endpoint uses: opened on first use, once a process, never on import. */
export type Service<T> = { get(): T };

/** What the handler gets for the services its endpoint names in `uses`. */
export type ServicesOf<U> = { [Name in keyof U]: U[Name] extends Service<infer T> ? T : never };

/** A service that `make` builds when it is first opened. */
export const service = <T>(make: () => T): Service<T> => {
  let made: { it: T } | undefined;
  return {
    get() {
      made ??= { it: make() };
      return made.it;
    },
  };
};

/** Services that open with their first use, so that a handler which never uses one never makes its client. */
export const lazyServices = <U extends Record<string, Service<unknown>>>(services: U): ServicesOf<U> => {
  const opened = {};
  for (const [name, one] of Object.entries(services)) {
    Object.defineProperty(opened, name, { get: () => one.get(), enumerable: true });
  }
  return opened as ServicesOf<U>;
};
