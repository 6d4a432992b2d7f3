import { expect, it } from 'vitest';
import { ApiError } from '../../functions/domain/errors.ts';
import { performMadeUp, placeholderInput } from '../../functions/http/warm-up.ts';
import { routes } from '../../functions/routes.ts';
import { useTargetInThisProcess } from '../support/world.ts';

const warmed = routes.filter(({ method, caller }) => method === 'GET' && caller.kind === 'key' && !caller.forwarded);

it.each(warmed.map((endpoint) => [endpoint.name, endpoint] as const))(
  'the function of %s is warmed by a read that finds nothing',
  async (_, endpoint) => {
    useTargetInThisProcess();
    const error = await performMadeUp(endpoint, placeholderInput(endpoint), []).catch((thrown) => thrown);
    if (error instanceof Error) expect(error).toBeInstanceOf(ApiError);
    if (error instanceof ApiError) expect([401, 404]).toContain(error.status);
  },
);
