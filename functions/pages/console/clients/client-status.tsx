import type { User } from '../../../openapi/client/client.ts';
import { Status } from '../components/status.tsx';

export const ClientStatus = ({ suspended }: Pick<User, 'suspended'>) => (
  <Status tone={suspended ? 'bad' : 'good'}>{suspended ? 'Suspended' : 'Active'}</Status>
);
