"""What tests of one program under yoke begin with: folders of their own for what PoCL and yoke keep, and no settings but theirs."""
import os

BUILD = os.path.abspath(os.environ["YOKE_TEST_BUILD"])


def folders(home):
    for name in ("pocl", "cache", "data"):
        os.makedirs(f"{home}/{name}", mode=0o700)


def environment(home, setting):
    """For a process under libyoke.so that leaves its summary in HOME; two devices, where SETTING does not say others."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("YOKE_", "POCL_", "OCL_", "OPENCL_", "XDG_"))}
    return {**env, "POCL_DEVICES": "basic basic", "POCL_CACHE_DIR": home + "/pocl", "XDG_CACHE_HOME": home + "/cache",
            "XDG_DATA_HOME": home + "/data", "LD_PRELOAD": os.path.join(BUILD, "libyoke.so"), "YOKE_JSON": home + "/summary.json",
            **setting}
