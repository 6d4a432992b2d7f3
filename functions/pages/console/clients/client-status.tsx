import type { User } from '../../../openapi/client/client.ts';
import { Status } from '../components/values.tsx';

export const ClientStatus = ({ suspended }: Pick<User, 'suspended'>) => (
  <Status tone={suspended ? 'bad' : 'good'} label={suspended ? 'Suspended' : 'Active'} />
);
