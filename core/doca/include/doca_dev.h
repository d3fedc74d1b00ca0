/* doca_dev.h: the devices of this machine, and the functions that a DPU's devices represent.
 *
 *   struct doca_devinfo **list; uint32_t count;
 *   doca_devinfo_create_list(&list, &count);
 *   ... doca_devinfo_is_equal_pci_addr(list[i], "03:00.0", &equal) ...
 *   doca_dev_open(list[i], &dev);
 *   doca_devinfo_destroy_list(list);
 *
 * A device belongs to the DPU's side or to the host's. Servers live on the DPU's and serve one
 * representor; clients live on the host's. Which devices there are is written in a file (see
 * COMCH_DEVICES); without one there are 0000:03:00.0 (DPU, with representor 0000:b1:00.0) and
 * 0000:b1:00.0 (host).
 *
 * In every call, INVALID_VALUE: a pointer is NULL, or a size is below the one named here.
 * Texts are closed by a NUL.
 *
 * Threads: descriptions and open devices do not change; a list is destroyed, and a device is
 * closed, by one thread.
 * Lifetime: an entry of a list lives as long as its list, the description of an open device as
 * long as the device. A device may be opened many times, and closed before or after what was
 * made on it.
 * Follows DOCA Core 3.0, with two functions of 3.1. */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_devinfo;
struct doca_devinfo_rep;
struct doca_dev;
struct doca_dev_rep;

/* Room for each word about a device, its closing NUL included. */
#define DOCA_DEVINFO_VUID_SIZE 128
#define DOCA_DEVINFO_IPV4_ADDR_SIZE 4
#define DOCA_DEVINFO_IPV6_ADDR_SIZE 16
#define DOCA_DEVINFO_MAC_ADDR_SIZE 6
#define DOCA_DEVINFO_IFACE_NAME_SIZE 256
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64
#define DOCA_DEVINFO_PCI_ADDR_SIZE 13 /* "0000:03:00.0" */
#define DOCA_DEVINFO_PCI_BDF_SIZE 8   /* "03:00.0" */
#define DOCA_DEVINFO_REP_VUID_SIZE 128
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE 8

/* Which representors to list. Those of this machine are all of network functions. */
enum doca_devinfo_rep_filter {
  DOCA_DEVINFO_REP_FILTER_ALL = 0,
  DOCA_DEVINFO_REP_FILTER_NET = 1 << 1,
  DOCA_DEVINFO_REP_FILTER_EMULATED = 1 << 2
};

/* Every device there is, in the order of the description.
 * NO_MEMORY. NOT_FOUND: the description of the devices is wrong; the log says in which line. */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/* The representors of `dev`; a list of EMULATED ones alone is empty.
 * INVALID_VALUE: no such filter. NO_MEMORY. NOT_SUPPORTED: a device of the host's side. */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
                                          struct doca_devinfo_rep ***dev_list_rep,
                                          uint32_t *nb_devs_rep);
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/* Each open gives a handle of its own. NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);
/* The handle is gone; what was made on it goes on. */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev);
/* NOT_SUPPORTED: nothing of a device is reclaimed late. */
DOCA_EXPERIMENTAL
doca_error_t doca_dev_accelerate_resource_reclaim(struct doca_dev *dev);

/* NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);
DOCA_STABLE
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

/* The description of what is open; NULL of NULL. */
DOCA_STABLE
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);
DOCA_STABLE
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/* The long form of the address, into DOCA_DEVINFO_PCI_ADDR_SIZE bytes. */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);
/* Whether it is the address, in its long or short form, in either case of letters.
 * INVALID_VALUE: the text is no PCI address. */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
                                            const char *pci_addr_str, uint8_t *is_equal);

/* Devices here carry no network traffic of their own.
 * NOT_FOUND: no IPv4 address. */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *ipv4_addr,
                                        uint32_t size);
/* OPERATING_SYSTEM: no IPv6 address. */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *ipv6_addr,
                                        uint32_t size);
/* NOT_SUPPORTED: no Ethernet port. */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *mac_addr,
                                       uint32_t size);
/* NOT_SUPPORTED: no InfiniBand port. */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/* The device's name, such as "comch0", so that programs find a device by it. */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *iface_name,
                                         uint32_t size);
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *ibdev_name,
                                         uint32_t size);

/* Bits per second of a link. DRIVER: there is no link. */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
                                          uint64_t *active_rate);
/* The device's place in the description, from 0. DRIVER: it is no longer there. */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_vhca_id(const struct doca_devinfo *devinfo, uint16_t *vhca_id);

/* From 3.1. The index is the device's place among the sub-functions of the description, from 0.
 * NOT_SUPPORTED: the device is no sub-function. */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
                                            enum doca_pci_func_type *pci_func_type);
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

/* Capabilities: 1 or 0. Of those of representors, NOT_SUPPORTED: a device of the host's side. */
DOCA_STABLE
doca_error_t doca_devinfo_cap_is_hotplug_manager_supported(const struct doca_devinfo *devinfo,
                                                           uint8_t *is_hotplug_manager);
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_notification_moderation_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_notification_moderation_supported);
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_all_supported);
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
                                                          uint8_t *filter_net_supported);
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *filter_emulated_supported);
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_cap_is_accelerate_resource_reclaim_supported(
    const struct doca_devinfo *devinfo, uint8_t *is_accelerate_resource_reclaim);

/* The same words of a representor. */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *rep_vuid,
                                       uint32_t size);
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
                                               char *pci_addr_str);
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
                                                enum doca_pci_func_type *pci_func_type);
/* Always 0. */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
                                             uint8_t *is_hotplug);
/* OPERATING_SYSTEM: a representor here has no network interface. */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
                                             char *iface_name, uint32_t size);
/* The representor's place in its device's list, from 0. */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
                                          uint16_t *vhca_id);
/* From 3.1. Of its host, which is 0. Of its physical function: the place of that, or of the last
 * before it, among the physical functions of its device's list, from 0. Its own place among the
 * virtual functions and the sub-functions there; NOT_SUPPORTED: it is none. Of its network
 * interface: OPERATING_SYSTEM, for a representor here has none. */
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep,
                                             uint32_t *host_index);
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *pf_index);
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_vf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *vf_index);
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_iface_index(const struct doca_devinfo_rep *devinfo_rep,
                                              uint32_t *iface_index);
DOCA_EXPERIMENTAL
doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep,
                                           uint32_t *sf_index);
DOCA_STABLE
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
                                                const char *pci_addr_str, uint8_t *is_equal);

#ifdef __cplusplus
}
#endif

#endif
