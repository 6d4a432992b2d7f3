/** The end of a process that dies within a method call. */
export class Death extends Error {}

/** Returns services of which one method call is not made, or is made and gets no response. */
export const mortal = <S extends object>(
  services: S,
  { at, isAfter }: { at: number; isAfter: boolean },
  calls = { count: 0 },
): S =>
  new Proxy(services, {
    get(object, name) {
      const member = object[name as keyof S];
      if (typeof member !== 'function')
        return typeof member === 'object' && member ? mortal(member, { at, isAfter }, calls) : member;
      return (...args: unknown[]) => {
        const dies = calls.count++ === at;
        if (dies && !isAfter) throw new Death();
        const result = member.apply(object, args);
        return dies && result instanceof Promise ? result.then(() => Promise.reject(new Death())) : result;
      };
    },
  });
