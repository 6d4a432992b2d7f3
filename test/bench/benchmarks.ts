import type { Row } from './benchmark.ts';
import { coldStarts } from './benchmarks/cold-starts.ts';
import { cost } from './benchmarks/cost.ts';
import { neighbors } from './benchmarks/neighbors.ts';
import { roundTrips } from './benchmarks/round-trips.ts';
import { search } from './benchmarks/search.ts';

/** All measurements, in the order in which they are made and shown. */
export const rows: Row[] = [roundTrips, cost, coldStarts, search, neighbors];
