import type { World } from './world.ts';

/** A measured value, and its format. */
export type Quantity = {
  value: number;
  unit: 'ms' | 'KiB' | 'requests/s' | 'h' | 'round trips' | 'requests' | 'units' | 'nDCG@10' | '%' | '$';
};

/** One line of the result: a quantity, the one it is compared with, and its target. */
export type Figure = {
  what: string;
  ours: Quantity;
  /** A second quantity of the same run, and the ratio of the two. */
  against?: { what: string; quantity: Quantity; ratio: number };
  target?: { text: string; reached: boolean };
  note?: string;
};

/** One measurement: a file in `benchmarks/`. */
export type Row = {
  name: string;
  title: string;
  /** `open` starts the service, for measurements that need it. `say` reports progress. */
  measure(open: () => Promise<World>, say: (sentence: string) => void): Promise<Figure[]>;
};

export const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
