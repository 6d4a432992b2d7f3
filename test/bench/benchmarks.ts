import type { Row } from './benchmark.ts';
import { adds } from './benchmarks/adds.ts';
import { blockListChecks } from './benchmarks/block-list-checks.ts';
import { bundles } from './benchmarks/bundles.ts';
import { callFigures } from './benchmarks/call-figures.ts';
import { coldStarts } from './benchmarks/cold-starts.ts';
import { cost } from './benchmarks/cost.ts';
import { extraction } from './benchmarks/extraction.ts';
import { imports } from './benchmarks/imports.ts';
import { mcp } from './benchmarks/mcp.ts';
import { partitions } from './benchmarks/partitions.ts';
import { roundTrips } from './benchmarks/round-trips.ts';
import { search } from './benchmarks/search.ts';
import { traffic } from './benchmarks/traffic.ts';

/** All measurements, in the order in which they are made and shown. */
export const rows: Row[] = [
  adds,
  blockListChecks,
  imports,
  roundTrips,
  partitions,
  cost,
  callFigures,
  mcp,
  bundles,
  coldStarts,
  extraction,
  search,
  traffic,
];
