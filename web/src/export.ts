/** The page in one file, as `tapeflow board export` saves it. */

import "./theme.css";
import "./main";
