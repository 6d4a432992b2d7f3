import type { Row } from './row.ts';
import { addRequests } from './rows/add-requests.ts';
import { adds } from './rows/adds.ts';
import { bundles } from './rows/bundles.ts';
import { chat } from './rows/chat.ts';
import { coldStarts } from './rows/cold-starts.ts';
import { crawlPace } from './rows/crawl.ts';
import { extraction } from './rows/extraction.ts';
import { knowledgeLists } from './rows/knowledge-lists.ts';
import { middleware } from './rows/middleware.ts';
import { roundTrips } from './rows/round-trips.ts';

/** All measurements, in the order in which they are made and shown. */
export const rows: Row[] = [
  adds,
  addRequests,
  roundTrips,
  knowledgeLists,
  middleware,
  chat,
  bundles,
  crawlPace,
  coldStarts,
  extraction,
];
