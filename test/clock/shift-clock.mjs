// Shifts the clock of this process and of those that it starts: NODE_OPTIONS="--import …/shift-clock.mjs", CLOCK_SHIFT_MILLISECONDS.
// Timers and durations run as ever. Plain JavaScript, because it is loaded before anything else.
const shift = Number(process.env.CLOCK_SHIFT_MILLISECONDS ?? 0);
const RealDate = globalThis.Date;
const realNow = RealDate.now;
const now = () => realNow() + shift;

RealDate.now = now;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length > 0 ? given : [now()], newTarget),
  apply: () => new RealDate(now()).toString(),
});
