import { useService } from '../service.tsx';
import { KeyList } from './key-list.tsx';

/** The view Keys: the API keys of the user. */
const Keys = () => (
  <>
    <h1>Keys</h1>
    <KeyList uid={useService().uid} />
  </>
);

export default Keys;
