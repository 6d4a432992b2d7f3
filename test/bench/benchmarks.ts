import type { Row } from './benchmark.ts';
import { addRequests } from './benchmarks/add-requests.ts';
import { adds } from './benchmarks/adds.ts';
import { blockListChecks } from './benchmarks/block-list-checks.ts';
import { bundles } from './benchmarks/bundles.ts';
import { callStarts } from './benchmarks/call-starts.ts';
import { chat } from './benchmarks/chat.ts';
import { coldStarts } from './benchmarks/cold-starts.ts';
import { cost } from './benchmarks/cost.ts';
import { crawlPace } from './benchmarks/crawl.ts';
import { extraction } from './benchmarks/extraction.ts';
import { fairness } from './benchmarks/fairness.ts';
import { imports } from './benchmarks/imports.ts';
import { knowledgeLists } from './benchmarks/knowledge-lists.ts';
import { mcp } from './benchmarks/mcp.ts';
import { middleware } from './benchmarks/middleware.ts';
import { roundTrips } from './benchmarks/round-trips.ts';
import { search } from './benchmarks/search.ts';
import { webhooks } from './benchmarks/webhooks.ts';

/** All measurements, in the order in which they are made and shown. */
export const rows: Row[] = [
  adds,
  addRequests,
  blockListChecks,
  imports,
  roundTrips,
  callStarts,
  cost,
  knowledgeLists,
  middleware,
  mcp,
  chat,
  bundles,
  crawlPace,
  coldStarts,
  extraction,
  fairness,
  search,
  webhooks,
];
